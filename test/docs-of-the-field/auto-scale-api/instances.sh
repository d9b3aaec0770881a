jetpack autoscale --instancecount 5 --name=gpu
