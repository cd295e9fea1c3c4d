// What is left of an object whose address is spelled out; of other pointers nothing is known.
void reach_error(void);
static char buffer[10];
static struct record { char a; char text[10]; int z; } record;
int main(void)
{
    char *pointer = buffer;
    if (__builtin_object_size(buffer, 0) != 10 || __builtin_object_size(&buffer[3], 0) != 7)
        reach_error();
    if (__builtin_object_size(&record, 1) != 16 || __builtin_object_size(record.text, 0) != 15)
        reach_error();
    if (__builtin_object_size("abc", 2) != 4 || __builtin_object_size(&record.z, 0) != 4)
        reach_error();
    if (__builtin_object_size(pointer, 0) != (unsigned long)-1 || __builtin_object_size(pointer, 2) != 0)
        reach_error();
    return 0;
}
