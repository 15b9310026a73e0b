// Package clienttest runs widely used clients for tests: programs with Apache Curator and with kazoo, and ZooKeeper's
// own two command lines. It knows where Debian installs them; a test brings its own programs. It is only for tests.
package clienttest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/need"
)

// Client is one of these clients. Nobody changes it.
type Client struct {
	Name    string
	needs   []file
	command []string
}

// file is a file that shows whether Debian's packages are installed.
type file struct{ name, packages string }

// Jars is Curator's class path. Each jar names its dependencies in its manifest. Without one of slf4j's jars,
// Curator warns that its log goes nowhere.
const Jars = curatorJar + ":/usr/share/java/slf4j-nop.jar"

const (
	curatorJar = "/usr/share/java/curator-recipes.jar"
	zkCli      = "/usr/share/zookeeper/bin/zkCli.sh"
	cliMT      = "/usr/lib/zookeeper/bin/cli_mt"
)

// The clients. Curator runs a Java source file or class, and kazoo a Python file; the program's arguments follow.
var (
	Curator = Client{"Curator",
		[]file{{curatorJar, "libcurator-recipes-java"}, {"javac", "default-jdk-headless"}},
		[]string{"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", Jars}}
	// Kazoo uses Debian's Python, which finds Debian's kazoo. Another Python may come first on the path, and lacks it.
	Kazoo = Client{"kazoo",
		[]file{{"/usr/lib/python3/dist-packages/kazoo", "python3-kazoo"}}, []string{"/usr/bin/python3", "-B"}}
	ZkCli = Client{"zkCli.sh", []file{{zkCli, "zookeeper"}}, []string{zkCli}}
	CliMT = Client{"cli_mt", []file{{cliMT, "zookeeper-bin"}}, []string{cliMT}}
)

// Find returns an error that names what the client lacks here, or nil.
func (c Client) Find() error {
	for _, f := range c.needs {
		_, err := exec.LookPath(f.name)
		if _, missing := os.Stat(f.name); err != nil && missing != nil {
			return fmt.Errorf("there is no %s (Debian: apt install %s)", f.name, f.packages)
		}
	}
	return nil
}

// Need skips the test if a client isn't installed, or fails it if CI is set.
func Need(tb testing.TB, clients ...Client) {
	tb.Helper()
	for _, c := range clients {
		need.Installed(tb, c.Find())
	}
}

// Command returns a command that runs the client until ctx ends. Java starts fast and computes slowly.
func (c Client) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.command[0], slices.Concat(c.command[1:], args)...)
	cmd.Env = append(cmd.Environ(), "JVMFLAGS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC") // for zkCli.sh
	return cmd
}
