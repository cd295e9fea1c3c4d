/* A computed `goto` leads to no label. */
int main(void)
{
  void *places[] = {&&end}, *place = 0;
  goto *place;
end:
  return places[0] == 0;
}
