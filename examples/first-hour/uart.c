#include "uart.h"

/* The registers of the device are read by an instruction of their own. */
static unsigned read_register(unsigned address) {
    unsigned value;
    __asm__ volatile("ldr %0, [%1]" : "=r"(value) : "r"(address));
    return value;
}

int uart_ready(void) {
    return read_register(0x40001000u) & 1;
}

unsigned char uart_read(void) {
    return read_register(0x40001004u);
}
