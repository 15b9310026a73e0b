// Package clienttest runs the clients that people use, for tests: programs with Apache Curator and with kazoo, and
// ZooKeeper's own two command lines. It knows where Debian has them, not what they are to do: a test brings its own
// programs. It is not for anything but tests.
package clienttest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
)

// Client is one of them. It is not changed.
type Client struct {
	Name    string
	needs   []file
	command []string
}

// file is what shows that Debian's packages are installed.
type file struct{ name, packages string }

// Jars is what Curator needs, as a class path. Each jar names in its manifest what else it needs. Without one of
// slf4j's jars it warns that nobody hears what it logs.
const Jars = curatorJar + ":/usr/share/java/slf4j-nop.jar"

const (
	curatorJar = "/usr/share/java/curator-recipes.jar"
	zkCli      = "/usr/share/zookeeper/bin/zkCli.sh"
	cliMT      = "/usr/lib/zookeeper/bin/cli_mt"
)

// The clients. Curator runs a source file or a class of Java, and kazoo a file of Python; their arguments follow it.
var (
	Curator = Client{"Curator",
		[]file{{curatorJar, "libcurator-recipes-java"}, {"javac", "default-jdk-headless"}},
		[]string{"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", Jars}}
	// Kazoo is run by Debian's Python, which finds Debian's kazoo. Another may come first on the path, and lacks it.
	Kazoo = Client{"kazoo",
		[]file{{"/usr/lib/python3/dist-packages/kazoo", "python3-kazoo"}}, []string{"/usr/bin/python3", "-B"}}
	ZkCli = Client{"zkCli.sh", []file{{zkCli, "zookeeper"}}, []string{zkCli}}
	CliMT = Client{"cli_mt", []file{{cliMT, "zookeeper-bin"}}, []string{cliMT}}
)

// Find says what the client lacks here, or nil.
func (c Client) Find() error {
	for _, f := range c.needs {
		_, err := exec.LookPath(f.name)
		if _, missing := os.Stat(f.name); err != nil && missing != nil {
			return fmt.Errorf("there is no %s (Debian: apt install %s)", f.name, f.packages)
		}
	}
	return nil
}

// Need skips the test where a client is not installed, and fails it there if CI is set.
func Need(tb testing.TB, clients ...Client) {
	tb.Helper()
	for _, c := range clients {
		switch err := c.Find(); {
		case err == nil:
		case os.Getenv("CI") != "":
			tb.Fatal(err)
		default:
			tb.Skip(err)
		}
	}
}

// Command runs the client until ctx ends. Java begins as fast as it can, and computes slower later.
func (c Client) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.command[0], slices.Concat(c.command[1:], args)...)
	cmd.Env = append(cmd.Environ(), "JVMFLAGS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC") // those of zkCli.sh
	return cmd
}
