"""The loop of three-dof-4096.toml in numpy: the peer of `cargo xtask bench`."""
import json
import os
import time

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
text = open(os.path.join(here, "../crates/signal/data/el-centro-1940-ns.csv"))
rows = [line.split(",") for line in text if line[0].isdigit() or line[0] == "-"]
record = np.array([[float(x) for x in row[:2]] for row in rows])

dt = 1 / 4096
m = np.diag([1000.0] * 3)
k1, k2, k3 = 3.5e6, 2.8e6, 2.0e6
k = np.array([[k1 + k2, -k2, 0], [-k2, k2 + k3, -k3], [0, -k3, k3]])
w = np.sqrt(np.linalg.eigvals(np.linalg.solve(m, k)).real)
w.sort()
zeta = 0.03
c = 2 * zeta * w[0] * w[1] / (w[0] + w[1]) * m + 2 * zeta / (w[0] + w[1]) * k
ke, ce = 1.2e6, 800.0
kn, cn = k.copy(), c.copy()
kn[0, 0] -= ke
cn[0, 0] -= ce
ct = cn.copy()
ct[0, 0] += ce
inverse = np.linalg.inv(m + 0.5 * dt * ct)
load = -m @ np.ones(3)

steps = int(record[-1, 0] / dt + 1e-9)
ag = 0.4 * 9.80665 * np.interp(np.arange(steps + 1) * dt, record[:, 0], record[:, 1])
lag = 12  # samples of delay beyond the step that the method looks ahead
history = np.zeros((3 * lag + 1, 2))  # wanted displacement and velocity, newest first by index
line = np.zeros((lag + 1, 2))  # command on its way
out = np.zeros((steps + 1, 14))

started = time.perf_counter()
d, v, a = np.zeros(3), np.zeros(3), inverse @ load * ag[0]
predicted, rate = np.zeros(3), np.zeros(3)
for n in range(steps + 1):
    position, velocity = line[n % (lag + 1)]
    force = ke * position + ce * velocity
    if n > 0:
        rhs = load * ag[n] - kn @ predicted - cn @ rate
        rhs[0] -= force
        a = inverse @ rhs
        d = predicted
        v = rate + 0.5 * dt * a
    predicted = d + dt * v + 0.5 * dt * dt * a
    rate = v + 0.5 * dt * a
    size = len(history)
    history[n % size] = predicted[0], rate[0]
    back = [history[(n - i * lag) % size] for i in range(4)]
    command = 4 * back[0] - 6 * back[1] + 4 * back[2] - back[3]
    line[n % (lag + 1)] = command
    out[n, 0] = ag[n]
    out[n, 1:5] = predicted[0], command[0], position, force
    out[n, 5:8], out[n, 8:11], out[n, 11:14] = d, v, a
elapsed = time.perf_counter() - started
print(json.dumps({"realtime_factor": steps * dt / elapsed, "peak": float(np.abs(out[:, 7]).max())}))
