// The library writes the record that it is given.
void reach_error(void);
struct timeval { long seconds; long microseconds; };
int gettimeofday(struct timeval *time, void *zone);
long time(long *target);
int main(void)
{
    struct timeval now = {0, 0};
    long seconds = 0;
    gettimeofday(&now, 0);
    time(&seconds);
    if (now.seconds == 5 && seconds == 6)
        reach_error();
    return 0;
}
