"""The multi-axial benchmark problem, consistent variant, with the published adaptive controller
(RoDeAC): the peer of `cargo xtask bench problems`, as a loop in numpy and the same loop compiled by
numba. The matrices are the published ones."""
import json
import os
import sys
import time

import numba
import numpy as np
from scipy import signal

folder = os.path.join(sys.argv[1], "benchmarks")


def table(name):
    return np.loadtxt(os.path.join(folder, name), delimiter=",", comments="#")


rate = 1024.0
dt = 1 / rate
m, k = table("marths_M_reference.csv"), table("marths_K_reference.csv")
c = 1.24737240 * m + 5.59853990e-4 * k
record = table("ground_motion_el_centro_1940.csv")
samples = int((len(record) - 1) * 0.02 * rate + 1e-9) + 1
ground = 0.4 * np.interp(np.arange(samples) * dt, np.arange(len(record)) * 0.02, record)

# What is fed back is what is taken out: x and the rotation of the interface, the other rotations
# follow statically.
parts = [table(f"marths_specimen5_{which}.csv") for which in "MCK"]
parts[0] = np.diag([parts[0][0, 0], 0, 0, 0, 0])
ks = parts[2]
follow = np.vstack([np.eye(2), -np.linalg.solve(ks[2:, 2:], ks[2:, :2])])
felt = [np.diag([1, -1, -1]) @ (z @ follow)[:3] for z in parts]
x, r, other = 26, 20, 28
rows = np.ix_([x, r, other], [x, r])
numerical = [matrix.copy() for matrix in (m, c, k)]
for matrix, z in zip(numerical, felt):
    matrix[rows] -= z @ np.diag([1, -1])
influence = np.zeros(29)
influence[[12, 25, 26]] = 1
load = -m @ influence
places = np.array([x, r, 25, 21, 12, 2])


def inverse(mass, damping, stiffness):
    return np.ascontiguousarray(np.linalg.inv(mass + 0.5 * dt * damping + 0.25 * dt * dt
                                              * stiffness))


# Plant, column by column, held inputs.
frame = np.poly(2 * np.pi * np.array([-(50 + 63j), -(50 - 63j)])).real


def column(paths, poles):
    den = np.polymul(np.poly(-2 * np.pi * np.array(poles)), frame)
    n = len(den) - 1
    a = np.zeros((n, n))
    a[:-1, 1:] = np.eye(n - 1)
    a[-1] = -den[:0:-1]
    b = np.zeros((n, 1))
    b[-1] = 1
    rows = []
    for gain, zeros in paths:
        num = gain * np.poly(-2 * np.pi * np.array(zeros))
        rows.append(np.concatenate([num[::-1], np.zeros(n - len(num))]))
    return a, b, np.array(rows)


one = column([(2165.2, [120, 90]), (349.95, [120, 90])], [2.65, 40])
two = column([(4.5394e6, [3]), (1.9238e7, [5])], [3.5, 18.5])
a = np.zeros((8, 8))
b = np.zeros((8, 2))
a[:4, :4], a[4:, 4:] = one[0], two[0]
b[:4, :1], b[4:, 1:] = one[1], two[1]
cp = np.hstack([one[2], two[2]])
phi, gamma, *_ = map(np.ascontiguousarray, signal.cont2discrete((a, b, cp, np.zeros((2, 2))),
                                                                dt)[:2])
low = signal.butter(4, 20, fs=rate)

p, alpha = np.hypot(0.26670, 0.127), np.arctan2(0.127, 0.26670)
theta0 = np.array([[5.414703531416, 1.962806653915, -1.504825259668, -4.957763803988],
                   [6.058172628218, 2.199815746545, -1.674597634216, -5.538499858188]])
spread = np.array([[83906.4, 106712.8, 106712.9, 83907.6], [64773.0, 104560.9, 104561.2, 64773.6]])


def loop(steps, ground, damping, stiffness, inv, load, felt_m, felt_c, felt_k, phi, gamma, cp, num,
         den, noise, theta0, spread,
         places, p, alpha, dt):
    u, v, acc = np.zeros(29), np.zeros(29), np.zeros(29)
    state = np.zeros(8)
    theta, fit = theta0.copy(), theta0.copy()
    start = theta0.sum(axis=1)
    cov = np.zeros((2, 4, 4))
    for i in range(2):
        for j in range(4):
            cov[i, j, j] = spread[i, j]
    filters = np.zeros((4, 4))
    past = np.zeros((2, 4))
    regressor = np.zeros((2, 4))
    q0, q1 = np.zeros(2), np.zeros(2)
    out = np.zeros((steps, 14))
    for n in range(steps):
        true = cp @ state
        measured = true + noise[n]
        s = 1e-3 * (measured[0] - measured[1]) / (2 * p * np.sin(alpha))
        q = np.array([1e-3 * measured[0] - p * (np.cos(s - alpha) - np.cos(alpha)), np.arcsin(s)])
        rate1 = (q - q0) / dt
        force = felt_m @ ((rate1 - q1) / dt) + felt_c @ rate1 + felt_k @ q
        q0, q1 = q, rate1
        u = u + dt * (v + 0.25 * dt * acc)
        v = v + 0.5 * dt * acc
        rhs = load * ground[n] - damping @ v - stiffness @ u
        rhs[26] -= force[0]
        rhs[20] -= force[1]
        rhs[28] -= force[2]
        acc = inv @ rhs
        u = u + 0.25 * dt * dt * acc
        v = v + 0.5 * dt * acc
        turn = -u[20]
        command = np.zeros(2)
        for i in range(2):
            angle = turn + (2 * i - 1) * alpha
            wanted = 1e3 * (u[26] + p * (np.cos(angle) - np.cos(alpha)))
            past[i, 1:] = past[i, :-1].copy()
            past[i, 0] = wanted
            out[n, i], out[n, 2 + i], out[n, 4 + i] = wanted, measured[i], true[i]
            command[i] = theta[i] @ past[i]
            filtered = np.zeros(2)
            for w in range(2):
                value = measured[i] if w == 0 else command[i]
                z = filters[2 * w + i]
                y = num[0] * value + z[0]
                for j in range(3):
                    z[j] = num[j + 1] * value + z[j + 1] - den[j + 1] * y
                z[3] = num[4] * value - den[4] * y
                filtered[w] = y
            h = regressor[i]
            h[1:] = h[:-1].copy()
            h[0] = filtered[0]
            ph = cov[i] @ h
            gain = ph / (1 + h @ ph)
            fit[i] += gain * (filtered[1] - h @ fit[i])
            total = fit[i].sum()
            # Noise before the strong motion pulls the fit to zero: it counts when gain and lead
            # make sense.
            lead = -(fit[i, 1] + 2 * fit[i, 2] + 3 * fit[i, 3]) / total
            if 0.1 * start[i] <= total <= 1.9 * start[i] and 0 <= lead <= 1 / dt:
                theta[i] = fit[i]
            for g in range(4):
                for f in range(4):
                    cov[i, g, f] -= gain[g] * ph[f]
        out[n, 6:8] = q
        for j in range(6):
            out[n, 8 + j] = u[places[j]]
        state = phi @ state + gamma @ command
    return out


def reference(steps):
    u, v, acc = np.zeros(29), np.zeros(29), np.zeros(29)
    inv = inverse(m, c, k)
    out = np.zeros((steps, 6))
    for n in range(steps):
        u = u + dt * (v + 0.25 * dt * acc)
        v = v + 0.5 * dt * acc
        acc = inv @ (load * ground[n] - c @ v - k @ u)
        u = u + 0.25 * dt * dt * acc
        v = v + 0.5 * dt * acc
        out[n] = u[places]
    return out


seeds = range(5)
flat = [np.ascontiguousarray(z) for z in felt]
arguments = (numerical[1], numerical[2], inverse(*numerical), load, *flat, phi, gamma, cp, low[0],
             low[1])
rest = (theta0, spread, places, p, alpha, dt)
wave = [np.random.default_rng(seed).normal(0, np.sqrt(1.5e-7 * rate), samples) for seed in seeds]
compiled = numba.njit(loop)
compiled(10, ground, *arguments, wave[0], *rest)
times, found = [], []
whole = reference(samples)


def deviation(signal, base):
    return 100 * np.std(signal - base, axis=0) / np.std(base, axis=0)


for noise in wave:
    started = time.perf_counter()
    out = compiled(samples, ground, *arguments, noise, *rest)
    j2 = deviation(out[:, 2:4], out[:, 0:2])
    j5 = deviation(out[:, 6:8] * [1, -1], out[:, 8:10])
    j7 = deviation(out[:, 6:8] * [1, -1], whole[:, :2])
    j8 = deviation(out[:, 10:], whole[:, 2:])
    times.append(time.perf_counter() - started)
    found.append(np.concatenate([j2, j5, j7, j8]))
steps = 2048
started = time.perf_counter()
loop(steps, ground, *arguments, wave[0], *rest)
plain = (time.perf_counter() - started) * samples / steps
mean = np.mean(found, axis=0)
print(json.dumps({
    "numba_s": float(np.median(times)), "numpy_s": plain,
    "criteria": {"J2": mean[:2].tolist(), "J5": mean[2:4].tolist(), "J7": mean[4:6].tolist(),
                 "J8": mean[6:].tolist()},
}))
