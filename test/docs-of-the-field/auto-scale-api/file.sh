jetpack autoscale --file=custom-autoscale.json
