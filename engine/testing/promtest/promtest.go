// Package promtest starts a real Prometheus for tests, and asks promtool about its files. It is only for tests.
package promtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/daemon"
	"github.com/zkviz/zkviz/engine/testing/need"
)

// configuration is a prometheus.yml that scrapes a target and judges rules as often as a test needs it.
const configuration = `global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs:
  - {job_name: zkviz, static_configs: [{targets: ["%s"]}]}
`

// config returns the configuration of a Prometheus that scrapes target and judges rules, the text of a rule file.
func config(target, rules string) daemon.Config {
	return daemon.Config{
		Program: "prometheus", Package: "prometheus",
		Arguments: func(port int, dir string) []string {
			for name, text := range map[string]string{"prometheus.yml": fmt.Sprintf(configuration, target), "rules.yml": rules} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					panic(err) // the folder is new
				}
			}
			return []string{"--config.file=prometheus.yml", "--storage.tsdb.path=data", "--log.level=warn",
				fmt.Sprintf("--web.listen-address=127.0.0.1:%d", port)}
		},
		Answers: func(addr string) error {
			resp, err := http.Get("http://" + addr + "/-/ready")
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("Prometheus answers %s", resp.Status)
			}
			return nil
		},
	}
}

// Need skips the test if Prometheus isn't installed, or fails it if CI is set.
func Need(tb testing.TB) {
	tb.Helper()
	_, err := config("", "").Find()
	need.Installed(tb, err)
}

// Server is a running Prometheus.
type Server struct {
	*daemon.Server
	tb testing.TB
}

// Start starts a Prometheus that scrapes target, host:port, every second and judges rules, the text of a rule file. It
// ends with the test.
func Start(tb testing.TB, target, rules string) *Server {
	tb.Helper()
	Need(tb)
	s, err := daemon.Start(config(target, rules))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return &Server{s, tb}
}

// Value returns the value of a query that gives one sample, as Prometheus writes it; empty if it gives none.
func (s *Server) Value(query string) string {
	s.tb.Helper()
	resp, err := http.Get("http://" + s.Addr() + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		s.tb.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct{ Result []struct{ Value [2]any } }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Status != "success" {
		s.tb.Fatalf("%s: %v, %+v", query, err, answer)
	}
	if len(answer.Data.Result) != 1 {
		return ""
	}
	return fmt.Sprint(answer.Data.Result[0].Value[1])
}

// Tool runs promtool in a folder, and fails the test with its output if it does.
func Tool(tb testing.TB, dir string, args ...string) {
	tb.Helper()
	Need(tb)
	cmd := exec.CommandContext(tb.Context(), "promtool", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Errorf("promtool %q: %v\n%s", args, err, out)
	}
}
