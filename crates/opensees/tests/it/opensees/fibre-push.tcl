# The fibre frame pushed to 0.25 m at its top by forces that grow with height.
source fibre-frame.tcl
timeSeries Linear 2
pattern Plain 2 2 {
    foreach storey {1 2 3} { load [tag $storey 0] [expr {1000.0 * $storey}] 0.0 0.0 }
}
constraints Plain
numberer RCM
system BandGeneral
test NormDispIncr 1e-11 50
algorithm Newton
integrator DisplacementControl 30 1 0.005
analysis Static
analyze 50
