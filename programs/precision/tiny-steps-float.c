// Listing 5.3 of the octagon thesis: in floats the sum stops growing and the loop never ends, which no octagon shows.
// must not prove: interval octagon all oadlWidening-float octagon-widening
extern void reach_error(void);
int main(void) { float step = 0.000000000001; float value = 0; int counter = 0;
  while (value < 10) { counter++; value += step; }
  if (counter < 1000000000000) { reach_error(); } return 0; }
