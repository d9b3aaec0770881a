array = {
    'Name': 'execute',
    'TargetCoreCount': 128
}
jetpack.autoscale.update([array])
