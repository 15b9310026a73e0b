package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// stopped is why a context ends when somebody asks the program to.
type stopped struct{ signal syscall.Signal }

// Error names the signal.
func (s stopped) Error() string { return "stopped by signal: " + s.signal.String() }

// Is has it be taken for what it is the cause of.
func (stopped) Is(target error) bool { return target == context.Canceled }

// exitSignal and the number of a signal are the exit code of what it has kept from its work, as shells have it.
const exitSignal = 128

// interruptible is a context that ends with the first signal that asks the program to stop. A second Ctrl-C or SIGTERM
// ends the program at once; SIGHUP does not: a terminal that closes sends it twice, from its shell and by itself.
func interruptible() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		defer close(done)
		select {
		case s := <-signals:
			signal.Reset(os.Interrupt, syscall.SIGTERM)
			cancel(stopped{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
		signal.Stop(signals)
	}
}

// interruptedCode is the exit code of a command whose context has ended.
func interruptedCode(ctx context.Context) int {
	var s stopped
	if errors.As(context.Cause(ctx), &s) {
		return exitSignal + int(s.signal)
	}
	return exitSignal + int(syscall.SIGINT)
}
