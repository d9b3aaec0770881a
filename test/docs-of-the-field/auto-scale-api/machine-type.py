import jetpack.autoscale

array = {
    'Name': 'execute',
    'TargetCoreCount': 128,
    'MachineType': "Standard_D4v3",
    'Configuration': {
        'custom_setting': 123
    }
}
jetpack.autoscale.update([array])
