// A loop of the callee does not widen what the caller knows, if callers' variables wait apart.
// must prove: interval expressions oadlWidening-restricted octagon-widening
// must not prove: oadlWidening
extern void reach_error(void);
void work(void) { int k = 0; while (k < 7) k++; }
int main(void) {
    int done = 0;
    while (done < 50) {
        work();
        if (done >= 50) reach_error();
        done++;
    }
    return 0;
}
