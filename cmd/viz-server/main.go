// Command viz-server shows how ZooKeeper coordination works, with the real code running: in a browser (serve), in a
// terminal (run, explore, check) or as a picture (render).
//
// It wires the packages together and decides nothing itself. Each subcommand has its own file.
//
// # Where to change what
//
//   - what a command prints: the file with its name; log_*.go and locks_*.go are the long ones
//   - the flags of serve: serve.go and service.go; settings.go reads them from a file and the environment
//   - the ZooKeepers that readers choose by name: clusters.go; how connections are opened: access.go
//   - what is recorded on disk: record.go; what a tap does with it: tap.go
//   - the form of the server's log: logging.go
//   - columns of a comparison: compare.go; the contest of locks: contest.go; which fault breaks what: faults.go
//   - how the released program runs as a service: zkviz.service, and the Dockerfile at the top
package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/alecthomas/kong"
)

// Exit codes, as docs/terminal.md lists them. An interrupted command returns exitSignal plus the signal.
const (
	exitOK      = 0
	exitVerdict = 1 // a verdict failed
	exitTrouble = 2 // bad usage, or another error that kept the command from its work
	exitLocks   = 3 // locks are in trouble, for --fail-on
)

// errVerdict ends a command whose output has already said which verdict failed.
var errVerdict = errors.New("a verdict failed")

// commandLine lists all commands.
type commandLine struct {
	Serve   serveCmd   `cmd:"" default:"withargs" help:"Serve the lessons on a local web page (the default)."`
	Class   classCmd   `cmd:"" help:"Start a class at a running server: everybody's page follows the teacher's."`
	Health  healthCmd  `cmd:"" help:"Check whether a running server is ready: the exit code is 0 if it is."`
	Recipes recipesCmd `cmd:"" help:"List the recipes and their parameters."`
	Run     runCmd     `cmd:"" help:"Run a recipe and print its figures and verdicts."`
	Explore exploreCmd `cmd:"" help:"Look for a schedule and faults under which a recipe breaks a promise."`
	Compare compareCmd `cmd:"" help:"Print what recipes cost as the number of clients grows."`
	Check   checkCmd   `cmd:"" help:"Print the figures and verdicts of a saved trace."`
	Render  renderCmd  `cmd:"" help:"Draw one moment of a trace or a lesson as SVG or PNG."`
	Story   storyCmd   `cmd:"" help:"Draw a whole trace or lesson in one picture, as SVG or PNG."`
	Export  exportCmd  `cmd:"" help:"Write the lessons and the Lab as a site of files, for any host."`
	Log     logCmd     `cmd:"" help:"Print what happened in a ZooKeeper, from its transaction logs and snapshots."`
	Open    openCmd    `cmd:"" help:"Open a link to a moment here, wherever it was made, and say whether it still shows the same."`
	Fork    forkCmd    `cmd:"" help:"Turn what a saved log shows of a lock, queue or election into a scenario for the simulator."`

	Locks     locksCmd     `cmd:"" help:"List the locks, elections, queues and groups of a real ZooKeeper, those in trouble first."`
	Tap       tapCmd       `cmd:"" help:"Stand between the clients of a real ZooKeeper and its servers, and show what they do."`
	Redis     redisCmd     `cmd:"" help:"Run a simulated Redis, in memory, for any client."`
	Zookeeper zookeeperCmd `cmd:"" help:"Run a ZooKeeper-compatible server, in memory, for any client."`

	Licences   licencesCmd   `cmd:"" aliases:"licenses" help:"Print the licences of all code that is built into the program."`
	Help       helpCmd       `cmd:"" help:"Explain a command, as its --help does."`
	Completion completionCmd `cmd:"" help:"Print a script that lets bash, zsh or fish complete commands, flags and recipes."`
	Complete   completeCmd   `cmd:"" hidden:"" help:"Print the completions of the last word."`

	Version kong.VersionFlag `help:"Print the program's version."`
}

func main() { os.Exit(mainCode(os.Args[1:])) }

func mainCode(args []string) int {
	ctx, stop := interruptible()
	defer stop()
	return execute(args, &terminal{ctx: ctx, in: os.Stdin, out: os.Stdout, err: os.Stderr, errTTY: isTerminal(os.Stderr)})
}

func execute(args []string, plain *terminal) int {
	term := plain.escaping()
	defer term.flush()
	exited := -1
	parser, err := commandParser(plain.out, term.err, func(code int) { exited = code })
	if err != nil {
		return complain(term, err)
	}
	if err := refuseSecrets(args); err != nil {
		return complain(term, err)
	}
	command, err := parser.Parse(joinNegative(args))
	if exited >= 0 { // kong has printed the help
		return exited
	}
	if err != nil {
		return complain(term, usageError(err))
	}
	if err := checkEmpty(command); err != nil {
		return complain(term, err)
	}
	return complain(term, command.Run(term))
}

// commandParser returns the parser of the command line. It prints help to out, as wide as the terminal.
func commandParser(out, errs io.Writer, exit func(code int)) (*kong.Kong, error) {
	return kong.New(new(commandLine),
		kong.Name("viz-server"),
		kong.Description("zkviz shows how ZooKeeper coordination works, with the real code running."),
		kong.Writers(out, errs),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		flagTexts(), variablesInHelp(), examplesInHelp(), kong.Vars{"version": version()},
	)
}

// complain prints the error, if there is one, and returns the exit code.
func complain(term *terminal, err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errVerdict):
		return exitVerdict
	case errors.Is(err, errInTrouble):
		return exitLocks
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	for _, err := range splitErrors(err) {
		term.complain("%v", err)
	}
	if term.ctx.Err() != nil {
		return interruptedCode(term.ctx)
	}
	return exitTrouble
}

// splitErrors splits what errors.Join has joined.
func splitErrors(err error) []error {
	list, ok := err.(interface{ Unwrap() []error })
	if !ok || errors.Join(list.Unwrap()...).Error() != err.Error() {
		return []error{err}
	}
	var all []error
	for _, e := range list.Unwrap() {
		all = append(all, splitErrors(e)...)
	}
	return all
}
