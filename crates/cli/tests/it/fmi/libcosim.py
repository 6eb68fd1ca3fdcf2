"""Our FMU in libcosim. Program, plan of an oscillator, folder to work in."""
import os, subprocess, sys

import fmpy
from fmpy.fmi2 import FMU2Slave
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimManipulator import CosimManipulator
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave

tandem, oscillator, folder = sys.argv[1:]

# libcosim is the master of the Open Simulation Platform; the bare calls of the standard judge it.
ours = os.path.join(folder, "ours.fmu")
subprocess.run([tandem, "fmu", "export", oscillator, "--what", "whole", "--fmi", "2", "--kind",
                "cs", "-o", ours], check=True)
master = CosimExecution.from_step_size(step_size=10_000_000)
place = master.add_local_slave(CosimLocalSlave(fmu_path=ours, instance_name="ours"))
seen, pushed = CosimObserver.create_last_value(), CosimManipulator.create_override()
master.add_observer(seen)
master.add_manipulator(pushed)
number = {variable.name.decode(): variable.reference for variable in master.slave_variables(place)}
pushed.slave_real_values(place, [number["ag"]], [1.0])

description = fmpy.read_model_description(ours)
slave = FMU2Slave(guid=description.guid, unzipDirectory=fmpy.extract(ours),
                  modelIdentifier=description.coSimulation.modelIdentifier)
slave.instantiate()
slave.setupExperiment(startTime=0.0)
slave.enterInitializationMode()
slave.exitInitializationMode()
largest = 0.0
for k in range(300):
    assert master.step()
    slave.setReal([number["ag"]], [1.0])
    slave.doStep(0.01 * k, 0.01)
    (theirs,) = seen.last_real_values(place, [number["u[1]"]])
    (bare,) = slave.getReal([number["u[1]"]])
    assert theirs == bare, (k, theirs, bare)
    largest = max(largest, abs(theirs))
# Twice the static displacement 100 kg · 1 m/s² / 20 kN/m, less what damping takes.
assert 0.0092 < largest < 0.0100, largest
print("300 steps of our oscillator in libcosim, to", largest, "m")
