import jetpack.autoscale

array = {
    'Name': 'execute',
    'TargetGroupCount': 4,
    'GroupCoreCount': 64,
    'MachineType': "Standard_D4v3"
}
jetpack.autoscale.update([array])
