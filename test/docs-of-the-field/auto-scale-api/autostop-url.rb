AUTOSTOP_URL = node[:cyclecloud][:cluster][:autoscale][:stop_callback]
INSTANCE_ID  = node[:cyclecloud][:instance][:id]
