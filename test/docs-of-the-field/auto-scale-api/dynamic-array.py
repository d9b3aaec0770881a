import jetpack.autoscale

execute = {
    'Name': 'execute',
    'TargetCoreCount': 128
}
dynamic = {
    'Name': 'dynamic_array',
    'Extends': 'execute',
    'TargetCount': 3,
    'Configuration': {
        'application_version': '1.2.3'
    },
    'Dynamic': True
}
jetpack.autoscale.update([execute, dynamic])
