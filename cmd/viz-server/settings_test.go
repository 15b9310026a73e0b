package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// parseServe parses the command line of serve.
func parseServe(t *testing.T, args ...string) (serveCmd, error) {
	t.Helper()
	var cli commandLine
	parser, err := kong.New(&cli, flagTexts(), variablesInHelp())
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return cli.Serve, err
}

// fileOf writes a text to a file and returns its path.
func fileOf(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestFlagBeatsVariableBeatsFile gives one flag in each way at once.
func TestFlagBeatsVariableBeatsFile(t *testing.T) {
	file := fileOf(t, "zkviz.toml", "# of the team\naddr = \"127.0.0.1:1\"\nzk = [\"c:1\", \"d:1\"]\n"+
		"zk-servers = 5\nzk-write = true\n")
	for name, c := range map[string]struct {
		args, env []string
		addr      string
		zk        []string
		servers   int
		write     bool
	}{
		"default": {nil, nil, "127.0.0.1:8080", nil, 1, false},
		"file":    {[]string{"--config", file}, nil, "127.0.0.1:1", []string{"c:1", "d:1"}, 5, true},
		"file by a variable": {nil, []string{"ZKVIZ_CONFIG", file}, "127.0.0.1:1", []string{"c:1", "d:1"}, 5,
			true},
		"variable": {[]string{"serve", "--config", file}, []string{"ZKVIZ_ADDR", "127.0.0.1:2", "ZKVIZ_ZK", "e:1,f:1",
			"ZKVIZ_ZK_SERVERS", "3", "ZKVIZ_ZK_WRITE", "false"}, "127.0.0.1:2", []string{"e:1,f:1"}, 3, false},
		"flag": {[]string{"--config", file, "--addr", "127.0.0.1:3", "--zk", "g:1", "--zk-servers=2"},
			[]string{"ZKVIZ_ADDR", "127.0.0.1:2", "ZKVIZ_ZK", "e:1", "ZKVIZ_ZK_SERVERS", "3"},
			"127.0.0.1:3", []string{"g:1"}, 2, true},
		"empty variables": {nil, []string{"ZKVIZ_ADDR", "", "ZKVIZ_ZK", "", "ZKVIZ_ZK_SERVERS", "", "ZKVIZ_ZK_WRITE", "",
			"ZKVIZ_CONFIG", ""}, "127.0.0.1:8080", nil, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			for i := 0; i < len(c.env); i += 2 {
				t.Setenv(c.env[i], c.env[i+1])
			}
			s, err := parseServe(t, c.args...)
			if err != nil || s.Addr != c.addr || !reflect.DeepEqual(s.ZK, c.zk) || s.ZKServers != c.servers ||
				s.ZKWrite != c.write {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}

// TestEveryFlagHasAVariable sets each flag of serve by its variable alone, and finds the variable's name in the help.
func TestEveryFlagHasAVariable(t *testing.T) {
	var cli commandLine
	parser, err := kong.New(&cli, flagTexts(), variablesInHelp())
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range parser.Model.Children {
		for _, flag := range command.Flags {
			named := strings.Contains(flag.Help, "$ZKVIZ_"+strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))+")")
			if named != (command.Name == "serve") {
				t.Errorf("%s --%s: %s", command.Name, flag.Name, flag.Help)
			}
		}
	}
	t.Setenv("ZKVIZ_ZK", "c:1") // only serve reads it
	if _, err := parser.Parse([]string{"run", "barrier"}); err != nil || cli.Run.ZK != nil {
		t.Errorf("run takes %q, %v", cli.Run.ZK, err)
	}
}

// TestBadSettings checks that errors name the setting but no value that could be a secret.
func TestBadSettings(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"unknown":        {"adr = \"a\"\n", `zkviz.toml: "adr" is not a flag of serve`},
		"config":         {"config = \"a\"\n", `"config" is not a flag of serve`},
		"a table":        {"[addr]\na = 1\n", `addr must be "text"`},
		"a float":        {"zk-servers = 1.5\n", `zk-servers must be "text"`},
		"a list":         {"addr = [\"a\", \"b\"]\n", "addr takes one value"},
		"a list in one":  {"zk = [[\"a\"]]\n", "zk takes one value"},
		"a word":         {"zk-servers = \"many\"\n", "--zk-servers: "},
		"not TOML":       {"addr = \"a\"\npostgres = hunter2\n", "line 2, after the key postgres, isn't TOML"},
		"twice":          {"addr = \"hunter2\"\naddr = \"hunter2\"\n", "isn't TOML"},
		"large":          {strings.Repeat("#\n", maxConfig), "has more than 1048576 bytes"},
		"no end of text": {"addr = \"hunter2\n", "line 1, after the key addr, isn't TOML"},
	} {
		_, err := parseServe(t, "--config", fileOf(t, "zkviz.toml", c.text))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	if _, err := parseServe(t, "--config", "nowhere.toml"); err == nil || !strings.Contains(err.Error(), "nowhere.toml") {
		t.Errorf("a file that isn't there: %v", err)
	}
}

// TestUnknownVariables checks that misspelt variables are named, without their values.
func TestUnknownVariables(t *testing.T) {
	for name, says := range map[string]string{
		"ZKVIZ_ZK_SERVER":             `"ZKVIZ_ZK_SERVER" sets nothing; did you mean ZKVIZ_ZK_SERVERS?`,
		"ZKVIZ_TOKENS":                `"ZKVIZ_TOKENS" sets nothing; did you mean ZKVIZ_TOKEN?`,
		"ZKVIZ_RECORDMAX":             `"ZKVIZ_RECORDMAX" sets nothing; did you mean ZKVIZ_RECORD_MAX?`,
		"ZKVIZ_SOMETHING_ELSE_AT_ALL": `"ZKVIZ_SOMETHING_ELSE_AT_ALL" sets nothing`,
		"ZKVIZ_\n":                    `"ZKVIZ_\n" sets nothing`,
		"ZKVIZ_RECORD_PATH":           "",
		"ZKVIZ_ZK_AUTH":               "",
		"ZKVIZ_PORT":                  "", // the rest is set by Kubernetes
		"ZKVIZ_PORT_8080_TCP_ADDR":    "",
		"ZKVIZ_WEB_SERVICE_HOST":      "",
		"ZKVIZ_SERVICE_PORT_HTTP":     "",
		"zkviz_zk":                    "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "hunter2")
			s, err := parseServe(t)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, warning := range s.unknown {
				if strings.Contains(warning, strconv.Quote(name)) {
					got = warning
				}
			}
			if got = strings.TrimPrefix(got, "the variable "); got != says {
				t.Errorf("%q, want %q", got, says)
			}
		})
	}
}
