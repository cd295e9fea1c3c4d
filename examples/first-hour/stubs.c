/* The device, for the verifier: anything may arrive at any time. */
#include "uart.h"

extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);

int uart_ready(void) {
    return __VERIFIER_nondet_bool();
}

unsigned char uart_read(void) {
    return __VERIFIER_nondet_uchar();
}
