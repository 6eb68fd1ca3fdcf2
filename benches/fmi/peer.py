"""FMPy's simulate_fmu and its bare slave on the same FMU; packs the FMU first. Prints steps per
second of both, and the last value."""
import sys, time, zipfile

import fmpy
from fmpy.fmi2 import FMU2Slave

library, archive, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
XML = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Van der Pol" guid="van-der-pol">
  <CoSimulation modelIdentifier="vanderpol" canHandleVariableCommunicationStepSize="true"/>
  <DefaultExperiment startTime="0" stopTime="20" stepSize="0.01"/>
  <ModelVariables>
    <ScalarVariable name="x1" valueReference="1" causality="output" initial="exact">
      <Real start="2"/></ScalarVariable>
    <ScalarVariable name="x2" valueReference="2" causality="output" initial="exact">
      <Real start="0"/></ScalarVariable>
    <ScalarVariable name="mu" valueReference="3" causality="parameter" variability="fixed">
      <Real start="1"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="1"/><Unknown index="2"/></Outputs></ModelStructure>
</fmiModelDescription>
"""
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
    out.writestr("modelDescription.xml", XML)
    out.write(library, "binaries/linux64/vanderpol.so")

clock = time.perf_counter()
result = fmpy.simulate_fmu(archive, fmi_type="CoSimulation", stop_time=steps * 0.01,
                           output_interval=0.01, step_size=0.01)
whole = steps / (time.perf_counter() - clock)

description = fmpy.read_model_description(archive)
slave = FMU2Slave(guid=description.guid,
                  unzipDirectory=fmpy.extract(archive, archive + ".unpacked"),
                  modelIdentifier="vanderpol", instanceName="m")
slave.instantiate()
slave.setupExperiment()
slave.enterInitializationMode()
slave.exitInitializationMode()
clock = time.perf_counter()
for k in range(steps):
    slave.doStep(currentCommunicationPoint=k * 0.01, communicationStepSize=0.01)
    values = slave.getReal([1, 2])
bare = steps / (time.perf_counter() - clock)
print(repr(whole), repr(bare), repr(float(result["x1"][-1])))
