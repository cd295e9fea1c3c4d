// No argument is null: true, but told of the first eight only.
#include <assert.h>

int main(int argc, char **argv) {
    for (int i = 0; i < argc; i++)
        assert(argv[i] != 0);
    return 0;
}
