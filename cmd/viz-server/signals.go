package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// stopped is the cause of a context that ended by a signal.
type stopped struct{ signal syscall.Signal }

// Error names the signal.
func (s stopped) Error() string { return "stopped by signal: " + s.signal.String() }

// Is makes stopped match context.Canceled.
func (stopped) Is(target error) bool { return target == context.Canceled }

// exitSignal plus a signal's number is the exit code of an interrupted command, as in shells.
const exitSignal = 128

// interruptible returns a context that ends with the first signal to stop. A second Ctrl-C or SIGTERM ends the
// program at once. A second SIGHUP doesn't: a closing terminal sends it twice, from its shell and by itself.
func interruptible() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup makes it ignored
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

// interruptedCode returns the exit code of a command whose context has ended.
func interruptedCode(ctx context.Context) int {
	var s stopped
	if errors.As(context.Cause(ctx), &s) {
		return exitSignal + int(s.signal)
	}
	return exitSignal + int(syscall.SIGINT)
}
