# The fibre frame under El Centro twofold.
source fibre-frame.tcl
timeSeries Path 2 -dt 0.02 -filePath el-centro.txt -factor [expr {2.0 * 9.80665}]
pattern UniformExcitation 2 1 -accel 2
rayleigh 0.25 0.0 0.0 0.0
constraints Plain
numberer RCM
system BandGeneral
test NormDispIncr 1e-11 50
algorithm Newton
integrator Newmark 0.5 0.25
analysis Transient
analyze 600 0.005
