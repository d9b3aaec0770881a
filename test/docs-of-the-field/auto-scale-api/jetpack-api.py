import jetpack.autoscale

jetpack.autoscale.set(name='execute', corecount=128)
