// Command testbed starts the servers that tests share: an Apache ZooKeeper, a PostgreSQL and a MariaDB. It runs a
// command with their addresses in its environment, and stops them when it ends:
//
//	testbed go test -short ./...
//
// It leaves out servers that aren't installed, and the tests that need one say so. Redis and etcd start within a
// fraction of a second, so each test starts its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/daemon"
	"github.com/zkviz/zkviz/engine/testing/sqltest"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: testbed COMMAND [ARGUMENT ...]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, os.Args[1], os.Args[2:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testbed:", err)
		code = 1
	}
	os.Exit(code)
}

// run starts the servers, runs the command, and returns its exit code once the servers have ended. When ctx ends, it
// interrupts the command, which then ends by itself.
func run(ctx context.Context, command string, args []string) (code int, err error) {
	servers, err := start()
	defer func() {
		for _, s := range servers {
			s.end()
		}
	}()
	if err != nil {
		return 0, err
	}
	if ctx.Err() != nil {
		return 1, nil
	}
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = os.Environ()
	for _, s := range servers {
		cmd.Env = append(cmd.Env, s.variable+"="+s.addr)
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(1, exit.ExitCode()), nil // -1 after a signal
	}
	return 0, err
}

// server is a running server, with the environment variable that tells tests its address.
type server struct {
	variable, addr string
	end            func()
}

// start starts the installed servers concurrently. It returns those that run, even with an error.
func start() (servers []server, err error) {
	starts := []func() (server, error){
		zooKeeper,
		database(sqltest.PostgresVariable, sqltest.PostgresServer()),
		database(sqltest.MariaDBVariable, sqltest.MariaDBServer()),
	}
	all, errs := make([]server, len(starts)), make([]error, len(starts))
	var wg sync.WaitGroup
	for i, start := range starts {
		wg.Go(func() { all[i], errs[i] = start() })
	}
	wg.Wait()
	for _, s := range all {
		if s.end != nil {
			servers = append(servers, s)
		}
	}
	return servers, errors.Join(errs...)
}

func zooKeeper() (server, error) {
	if apache.Find() != nil {
		return server{}, nil
	}
	s, err := apache.Start(zktest.Config())
	if err != nil {
		return server{}, err
	}
	return server{zktest.Variable, s.Addr, s.Close}, nil
}

func database(variable string, cfg daemon.Config) func() (server, error) {
	return func() (server, error) {
		if _, err := cfg.Find(); err != nil {
			return server{}, nil
		}
		s, err := daemon.Start(cfg)
		if err != nil {
			return server{}, err
		}
		return server{variable, s.Addr(), s.Close}, nil
	}
}
