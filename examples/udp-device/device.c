/* A device for Tandem's device protocol, in plain C for POSIX systems.
 *
 * Behind it stands a model: a piston that follows its command with a lag, on a spring. To put a real controller behind the
 * protocol, replace plant_step, plant_hold and plant_measured; everything else stays as it is.
 *
 *     cc -O2 -Wall -o device device.c
 *     ./device --port 4950            UDP
 *     ./device --port 4950 --tcp
 *
 * The protocol is described in docs/device-protocol.md. Little-endian machines only.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HELLO = 1, WELCOME, COMMAND, MEASURED, REST, STOP };
enum { PRESSURE = 1, MANIFOLD = 2, EMERGENCY = 4, HOLDING = 8 };
enum { MOST = 32, HEAD = 24, LONGEST = HEAD + 8 * (2 * MOST + 1) };

static int actuators = 1;
static double stiffness = 1.2e6, lag = 0.005, period = 0.001;
static double displacement[MOST], command[MOST];
static uint16_t flags = PRESSURE | MANIFOLD;
static uint32_t sequence, heard, ticks;
static double silence = 0.5; /* s after which the device holds by itself */

static void plant_step(void) {
    double share = period / (lag + period);
    for (int i = 0; i < actuators; i++)
        displacement[i] += share * (command[i] - displacement[i]);
}

static void plant_hold(void) {
    for (int i = 0; i < actuators; i++) command[i] = displacement[i];
}

static void plant_measured(double *values) {
    for (int i = 0; i < actuators; i++) {
        values[i] = displacement[i];
        values[actuators + i] = stiffness * displacement[i];
    }
    values[2 * actuators] = 0.0; /* valve */
}

static size_t pack(uint8_t kind, uint8_t *out) {
    double values[2 * MOST + 1], stamp = ticks * period;
    uint8_t n = (uint8_t)actuators;
    sequence++;
    plant_measured(values);
    memcpy(out, "TDV1", 4);
    out[4] = kind;
    out[5] = n;
    memcpy(out + 6, &flags, 2);
    memcpy(out + 8, &sequence, 4);
    memcpy(out + 12, &heard, 4);
    memcpy(out + 16, &stamp, 8);
    memcpy(out + HEAD, values, 8 * (2 * (size_t)n + 1));
    return HEAD + 8 * (2 * (size_t)n + 1);
}

/* Length of a message of which at least the head is there. */
static size_t message_length(const uint8_t *m) {
    size_t values = m[4] == HELLO ? 2 : m[4] == COMMAND ? 2 * (size_t)m[5] : 0;
    return HEAD + 8 * values;
}

/* The answer to one message; its length, 0 where there is none to give. */
static size_t answer(const uint8_t *m, size_t length, uint8_t *out) {
    uint32_t number;
    if (length < HEAD || memcmp(m, "TDV1", 4) || length < message_length(m)) return 0;
    memcpy(&number, m + 8, 4);
    if (m[4] == HELLO) {
        /* A new test: the numbers begin again, the pistons stay where they are. */
        double values[2];
        memcpy(values, m + HEAD, 16);
        flags = PRESSURE | MANIFOLD;
        sequence = ticks = 0;
        plant_hold();
        period = values[0];
        silence = values[0] * values[1];
        heard = number;
        return pack(WELCOME, out);
    }
    uint32_t newer = number - heard;
    if (m[5] != actuators || newer == 0 || newer > 0x80000000u)
        return 0; /* not for us, repeated, or overtaken by a newer one */
    heard = number;
    if (m[4] == COMMAND) {
        /* A device that holds by itself, or has no pressure, moves only after a new HELLO. */
        if (!(flags & HOLDING) && (flags & PRESSURE))
            memcpy(command, m + HEAD, 8 * (size_t)actuators);
    } else if (m[4] == STOP) {
        plant_hold();
        flags &= (uint16_t)~(PRESSURE | MANIFOLD);
    } else if (m[4] != REST) {
        return 0;
    }
    plant_step();
    ticks++;
    return pack(MEASURED, out);
}

static void lost(void) { /* nothing was heard for too long: hold */
    if (!(flags & HOLDING)) {
        flags |= HOLDING;
        plant_hold();
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int readable(int fd) {
    fd_set set;
    struct timeval wait;
    double half = silence / 2;
    FD_ZERO(&set);
    FD_SET(fd, &set);
    wait.tv_sec = (time_t)half;
    wait.tv_usec = (suseconds_t)((half - (double)wait.tv_sec) * 1e6);
    return select(fd + 1, &set, NULL, NULL, &wait) > 0;
}

static void serve_udp(int fd) {
    uint8_t in[2048], out[LONGEST];
    double last = now();
    int known = 0;
    for (;;) {
        if (readable(fd)) {
            struct sockaddr_in peer;
            socklen_t size = sizeof peer;
            ssize_t n = recvfrom(fd, in, sizeof in, 0, (struct sockaddr *)&peer, &size);
            size_t length = n > 0 ? answer(in, (size_t)n, out) : 0;
            if (length > 0) {
                last = now();
                known = 1;
                sendto(fd, out, length, 0, (struct sockaddr *)&peer, size);
            }
        }
        if (known && now() - last > silence) lost();
    }
}

static void serve_tcp(int server) {
    uint8_t in[8192], out[LONGEST];
    for (;;) {
        int fd = accept(server, NULL, NULL), one = 1;
        size_t held = 0;
        double last = now();
        if (fd < 0) continue;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        for (;;) {
            if (readable(fd)) {
                ssize_t n = recv(fd, in + held, sizeof in - held, 0);
                if (n <= 0) break;
                held += (size_t)n;
                while (held >= HEAD && held >= message_length(in)) {
                    size_t used = message_length(in), length = answer(in, used, out);
                    if (length > 0) {
                        last = now();
                        if (send(fd, out, length, MSG_NOSIGNAL) != (ssize_t)length) break;
                    }
                    held -= used;
                    memmove(in, in + used, held);
                }
            }
            if (now() - last > silence) lost();
        }
        close(fd);
        lost();
    }
}

int main(int argc, char **argv) {
    int port = 4950, tcp = 0, one = 1;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--tcp")) tcp = 1;
        else if (!strcmp(argv[i], "--port")) port = atoi(value), i++;
        else if (!strcmp(argv[i], "--actuators")) actuators = atoi(value), i++;
        else if (!strcmp(argv[i], "--stiffness")) stiffness = atof(value), i++;
        else if (!strcmp(argv[i], "--lag")) lag = atof(value), i++;
        else {
            fprintf(stderr, "usage: device [--port N] [--tcp] [--actuators N] [--stiffness N/m] [--lag s]\n");
            return 2;
        }
    }
    if (actuators < 1 || actuators > MOST) {
        fprintf(stderr, "between 1 and %d actuators\n", MOST);
        return 2;
    }
    int fd = socket(AF_INET, tcp ? SOCK_STREAM : SOCK_DGRAM, 0);
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof own;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof own) < 0 ||
        (tcp && listen(fd, 1) < 0) || getsockname(fd, (struct sockaddr *)&own, &size) < 0) {
        perror("device");
        return 1;
    }
    printf("listening on %d\n", ntohs(own.sin_port));
    fflush(stdout);
    if (tcp) serve_tcp(fd); else serve_udp(fd);
}
