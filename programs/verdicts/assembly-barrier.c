// A read of a device and a fence tell the compiler that memory may change, but have no pointer to what the program owns.
void reach_error(void);
void *map_device(void);

int state = 1;

static unsigned read_register(volatile unsigned *at)
{
    unsigned value;
    asm volatile("movl %1, %0" : "=r"(value) : "m"(*at) : "memory");
    return value;
}

int main(void)
{
    volatile unsigned *device = map_device();
    unsigned sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += read_register(device + i) & 7;
        asm volatile("mfence" ::: "memory");
    }
    if (state != 1 || sum > 21)
        reach_error();
    return 0;
}
