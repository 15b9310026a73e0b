package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// helpCmd prints what --help prints.
type helpCmd struct {
	Command string `arg:"" optional:"" help:"The command to explain (default: all of them)."`
}

func (c *helpCmd) Run(command *kong.Context) error {
	of := c.Command
	if of == "" {
		of = "--help" // without it, kong would take serve, the default command
	}
	ctx, err := kong.Trace(command.Kong, []string{of})
	if err != nil {
		return err
	}
	if ctx.Error != nil {
		return fmt.Errorf("there is no command %q; viz-server help lists the commands", c.Command)
	}
	return ctx.PrintUsage(false)
}

// examples lists sample command lines by command, without the program's name.
var examples = map[string][]string{
	"serve": {
		"serve", "serve --zk 10.0.0.1:2181,10.0.0.2:2181", "serve --zk-listen auto --zk-servers 3",
		"serve --addr 0.0.0.0:8080",
	},
	"class":   {"class", "class --url http://10.0.3.7:8080 --at /lessons/the-herd"},
	"health":  {"health", "health --addr 127.0.0.1:8081"},
	"recipes": {"recipes", "recipes --json"},
	"run": {
		"run children-lock --clients 100", "run predecessor-lock --fault 'pause client-1 at 2s for 15s' --trace paused.jsonl",
		"run predecessor-lock --servers 3 --fault 'crash server-3 at 2s'", "run unique-lock --zk 127.0.0.1:2181",
	},
	"explore": {"explore no-second-look", "explore predecessor-lock --faults pause,crash --scenario found.json"},
	"compare": {"compare children-lock predecessor-lock --clients 2,10,100", "compare --contest", "compare --faults"},
	"check":   {"check paused.jsonl", "check paused.jsonl --json"},
	"story":   {"story two-believe -o story.svg", "story paused.jsonl --from 8s --to 20s --event 128 -o story.png"},
	"render":  {"render the-herd/release -o herd.svg", "render paused.jsonl --at 2.5s -o paused.svg"},
	"export": {"export site", "export site --site https://example.org/zkviz/",
		"export site --lessons the-herd,two-believe"},
	"log": {"log /var/lib/zookeeper/version-2", "log version-2 --below /app/leader --since 2h --json",
		"log s1/version-2 s2/version-2 --addr 127.0.0.1:8080"},
	"open": {"open 'https://example.org/lessons/the-herd?at=2s&event=40#release'",
		"open '/lab?recipe=unique-lock&clients=3&at=2s' --check"},
	"fork": {"fork night.trace --path /app/lock --scenario night.json", "fork night.trace --link"},
	"locks": {"locks --zk 10.0.0.1:2181,10.0.0.2:2181", "locks /app --zk 10.0.0.1:2181 --json",
		"locks /app --zk 10.0.0.1:2181 --fail-on any", "locks /app --zk 10.0.0.1:2181 --observe-ensemble auto --follow"},
	"tap":        {"tap --zk 10.0.0.1:2181,10.0.0.2:2181", "tap --zk 10.0.0.1:2181 --listen 127.0.0.1:2183 --every 1s"},
	"redis":      {"redis --listen 127.0.0.1:6380"},
	"zookeeper":  {"zookeeper --data znodes.snapshot", "zookeeper --servers 3 --addr 127.0.0.1:2191"},
	"licences":   {"licences"},
	"help":       {"help run"},
	"completion": {"completion bash > ~/.local/share/bash-completion/completions/viz-server"},
}

// examplesInHelp appends the examples to each command's help.
func examplesInHelp() kong.Option {
	return kong.PostBuild(func(k *kong.Kong) error {
		for _, command := range k.Model.Children {
			if lines := examples[command.Name]; len(lines) > 0 {
				const begin = "\n\n    viz-server "
				command.Detail = "Examples:" + begin + strings.Join(lines, "\n    viz-server ")
			}
		}
		return nil
	})
}
