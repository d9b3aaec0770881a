jetpack autoscale --name=execute --corecount=128
