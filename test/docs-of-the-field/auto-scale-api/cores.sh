jetpack autoscale --corecount=100
