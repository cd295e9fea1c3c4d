int uart_ready(void);
unsigned char uart_read(void);
