#!/usr/bin/env python3
"""A device for Tandem's device protocol, with the standard library only.

Behind it stands a model: a piston that follows its command with a lag, on a spring. To put a real
controller behind the protocol, replace the class `Plant`; everything else stays as it is.

    python3 device.py --port 4950             # UDP
    python3 device.py --port 4950 --tcp

The protocol is described in docs/device-protocol.md.
"""

import argparse
import select
import socket
import struct
import time

HEAD = struct.Struct("<4sBBHIId")  # magic, kind, actuators, flags, sequence, echo, time stamp
MAGIC = b"TDV1"
HELLO, WELCOME, COMMAND, MEASURED, REST, STOP = range(1, 7)
PRESSURE, MANIFOLD, EMERGENCY, HOLDING = 1, 2, 4, 8


class Plant:
    """Pistons that follow their command with a first-order lag, each on a spring."""

    def __init__(self, actuators, stiffness, lag):
        self.displacement = [0.0] * actuators
        self.command = [0.0] * actuators
        self.stiffness = stiffness
        self.lag = lag
        self.period = 0.001

    def step(self):
        share = self.period / (self.lag + self.period)
        for i, target in enumerate(self.command):
            self.displacement[i] += share * (target - self.displacement[i])

    def hold(self):
        self.command = list(self.displacement)

    def measured(self):
        force = [self.stiffness * x for x in self.displacement]
        return [*self.displacement, *force, 0.0]


class Device:
    """The device's side of the protocol: one answer for every message."""

    def __init__(self, plant):
        self.plant = plant
        self.actuators = len(plant.displacement)
        self.begin()

    def begin(self):
        self.flags = PRESSURE | MANIFOLD
        self.sequence = 0
        self.heard = 0
        self.ticks = 0
        self.silence = 0.5

    def answer(self, message):
        """The answer to one message; None where there is none to give."""
        if len(message) < HEAD.size:
            return None
        magic, kind, actuators, _, sequence, _, _ = HEAD.unpack_from(message)
        if magic != MAGIC:
            return None
        values = [v for (v,) in struct.iter_unpack("<d", message[HEAD.size:])]
        if kind == HELLO and len(values) == 2:
            # A new test: the numbers begin again, the pistons stay where they are.
            self.begin()
            self.plant.hold()
            self.plant.period = values[0]
            self.silence = values[0] * values[1]
            self.heard = sequence
            return self.pack(WELCOME)
        newer = (sequence - self.heard) % 2**32
        if actuators != self.actuators or newer == 0 or newer > 2**31:
            return None  # not for us, repeated, or overtaken by a newer one
        self.heard = sequence
        if kind == COMMAND and len(values) == 2 * self.actuators:
            # A device that holds by itself, or has no pressure, moves only after a new HELLO.
            if not self.flags & HOLDING and self.flags & PRESSURE:
                self.plant.command = values[: self.actuators]
        elif kind == REST:
            pass
        elif kind == STOP:
            self.plant.hold()
            self.flags &= ~(PRESSURE | MANIFOLD)
        else:
            return None
        self.plant.step()
        self.ticks += 1
        return self.pack(MEASURED)

    def pack(self, kind):
        self.sequence = (self.sequence + 1) % 2**32
        values = self.plant.measured()
        stamp = self.ticks * self.plant.period
        head = HEAD.pack(MAGIC, kind, self.actuators, self.flags, self.sequence, self.heard, stamp)
        return head + struct.pack(f"<{len(values)}d", *values)

    def lost(self):
        """Nothing was heard for too long: hold."""
        if not self.flags & HOLDING:
            self.flags |= HOLDING
            self.plant.hold()


def length(message):
    """Length of a message of which at least the head is there."""
    _, kind, n, *_ = HEAD.unpack_from(message)
    values = {HELLO: 2, COMMAND: 2 * n}.get(kind, 0)
    return HEAD.size + 8 * values


def serve_udp(device, server):
    last, peer = time.monotonic(), None
    while True:
        ready, _, _ = select.select([server], [], [], device.silence / 2)
        if ready:
            message, peer = server.recvfrom(2048)
            answer = device.answer(message)
            if answer:
                last = time.monotonic()
                server.sendto(answer, peer)
        if peer and time.monotonic() - last > device.silence:
            device.lost()


def serve_tcp(device, server):
    while True:
        stream, _ = server.accept()
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        last, held = time.monotonic(), b""
        with stream:
            while True:
                ready, _, _ = select.select([stream], [], [], device.silence / 2)
                if ready:
                    try:
                        piece = stream.recv(4096)
                    except ConnectionError:
                        piece = b""
                    if not piece:
                        break
                    held += piece
                    while len(held) >= HEAD.size and len(held) >= length(held):
                        n = length(held)
                        answer = device.answer(held[:n])
                        held = held[n:]
                        if answer:
                            last = time.monotonic()
                            stream.sendall(answer)
                if time.monotonic() - last > device.silence:
                    device.lost()
        device.lost()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=4950, help="0: any; the number is printed")
    parser.add_argument("--tcp", action="store_true", help="TCP instead of UDP")
    parser.add_argument("--actuators", type=int, default=1)
    parser.add_argument("--stiffness", type=float, default=1.2e6, help="of each spring, N/m")
    parser.add_argument("--lag", type=float, default=0.005, help="time constant of the pistons, s")
    options = parser.parse_args()
    device = Device(Plant(options.actuators, options.stiffness, options.lag))
    kind = socket.SOCK_STREAM if options.tcp else socket.SOCK_DGRAM
    server = socket.socket(socket.AF_INET, kind)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((options.host, options.port))
    if options.tcp:
        server.listen(1)
    print(f"listening on {server.getsockname()[1]}", flush=True)
    try:
        (serve_tcp if options.tcp else serve_udp)(device, server)
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
