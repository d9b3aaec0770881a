-- Prints what a job would cost when somebody submits it with sbatch. Put it beside slurm.conf on the hosts where people
-- submit, with "CliFilterPlugins=lua" in slurm.conf. It never holds a job up: whatever goes wrong, nothing is printed.

-- With a time limit. CCSCALE_URL, CCSCALE_CLUSTER and CCSCALE_KEY (of a reader) may stand here or in the environment.
local command = "timeout 5 ccscale quote"

-- What a job runs is nobody's business, and nothing that it takes.
local left_out = { wrap = true, comment = true, export = true }

local function quoted(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- The options that were given, as sbatch takes them.
local function words_of(options)
  local words = {}
  -- Only these are in the JSON; inside of values the quotation marks have a backslash before them.
  for name in slurm.json_cli_options(options):gmatch('[{,]"([%a-]+)":"') do
    local value = tostring(options[name])
    if value == name or value == "set" then
      words[#words + 1] = "--" .. name
    elseif not left_out[name] then
      -- Slurm writes no memory as "0?".
      words[#words + 1] = quoted("--" .. name .. "=" .. value:gsub("^0%?$", "0"))
    end
  end
  return table.concat(words, " ")
end

local function print_quote(options)
  local pipe = io.popen(command .. " --slurm " .. quoted("sbatch " .. words_of(options)) .. " 2>/dev/null")
  local answer = pipe:read("*a")
  pipe:close()
  io.stderr:write(answer)
end

function slurm_cli_setup_defaults(options, early_pass)
  return slurm.SUCCESS
end

function slurm_cli_pre_submit(options, offset)
  if options["type"] == "sbatch" then
    pcall(print_quote, options)
  end
  return slurm.SUCCESS
end

function slurm_cli_post_submit(offset, job_id, step_id)
  return slurm.SUCCESS
end
