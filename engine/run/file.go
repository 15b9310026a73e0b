package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/zoo"
)

// A scenario file is one JSON object that says what is run. What it leaves out takes the default.
const (
	fileFormat  = "zkviz-scenario"
	fileVersion = 1
	maxFile     = 1 << 20 // bytes
)

type scenarioFile struct {
	Format         string   `json:"format"`
	Version        int      `json:"version"`
	Recipe         string   `json:"recipe"`
	Clients        int      `json:"clients,omitempty"`
	Rounds         int      `json:"rounds,omitempty"`
	Hold           string   `json:"hold,omitempty"` // a duration, or settled
	Seed           uint64   `json:"seed,string"`
	SessionTimeout string   `json:"session_timeout,omitempty"`
	Latency        string   `json:"latency,omitempty"`
	Jitter         string   `json:"jitter,omitempty"`
	Stagger        string   `json:"stagger,omitempty"`
	Faults         []string `json:"faults,omitempty"`
}

// MarshalJSON writes the scenario as the object of a scenario file: what a run depends on, but neither its
// root nor its limits.
func (s Scenario) MarshalJSON() ([]byte, error) {
	s = s.WithDefaults()
	f := scenarioFile{
		Format: fileFormat, Version: fileVersion,
		Recipe: s.Recipe, Clients: s.Clients, Rounds: s.Rounds, Hold: s.holdText(), Seed: s.Seed,
		SessionTimeout: s.SessionTimeout.String(), Latency: s.Latency.String(), Jitter: s.Jitter.String(),
		Stagger: max(s.Stagger, 0).String(),
	}
	for _, fault := range s.Faults {
		f.Faults = append(f.Faults, fault.String())
	}
	return json.Marshal(f)
}

// ReadFile reads a scenario file and validates it.
func ReadFile(r io.Reader) (Scenario, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return Scenario{}, err
	}
	if len(text) > maxFile {
		return Scenario{}, fmt.Errorf("a scenario file has at most %d bytes", maxFile)
	}
	var f scenarioFile
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	f.Seed = 1
	if err := dec.Decode(&f); err != nil {
		return Scenario{}, fmt.Errorf("this is no scenario file: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Scenario{}, errors.New("this is no scenario file: something follows its object")
	}
	if f.Format != fileFormat {
		return Scenario{}, fmt.Errorf("this is no scenario file: its format is not %q", fileFormat)
	}
	if f.Version < 1 || f.Version > fileVersion {
		return Scenario{}, fmt.Errorf("the scenario file has version %d; this program reads version %d", f.Version, fileVersion)
	}
	return f.scenario()
}

func (f scenarioFile) scenario() (Scenario, error) {
	s := Scenario{Recipe: f.Recipe, Clients: f.Clients, Rounds: f.Rounds, Seed: f.Seed}
	for _, p := range [][2]string{
		{"hold", f.Hold}, {"session-timeout", f.SessionTimeout}, {"latency", f.Latency},
		{"jitter", f.Jitter}, {"stagger", f.Stagger},
	} {
		if p[1] == "" {
			continue
		}
		if err := s.set(p[0], p[1:]); err != nil {
			return Scenario{}, err
		}
	}
	if err := s.setFaults(f.Faults); err != nil {
		return Scenario{}, err
	}
	s = s.WithDefaults()
	return s, s.Validate()
}

func (s Scenario) holdText() string {
	if s.Hold == zoo.UntilSettled {
		return settledHold
	}
	return s.Hold.String()
}

// Command is the command line that runs the scenario, for a shell. It leaves out what is usual.
func (s Scenario) Command() string {
	s = s.WithDefaults()
	d := s.Usual()
	words := []string{"viz-server run", s.Recipe}
	add := func(flag, value, usual string) {
		if value != usual {
			words = append(words, "--"+flag+" "+value)
		}
	}
	add("clients", strconv.Itoa(s.Clients), strconv.Itoa(d.Clients))
	add("rounds", strconv.Itoa(s.Rounds), strconv.Itoa(d.Rounds))
	add("hold", s.holdText(), d.holdText())
	add("seed", strconv.FormatUint(s.Seed, 10), "1")
	for _, t := range []struct {
		flag     string
		d, usual time.Duration
	}{
		{"session-timeout", s.SessionTimeout, d.SessionTimeout},
		{"latency", s.Latency, d.Latency}, {"jitter", s.Jitter, d.Jitter},
		{"stagger", max(s.Stagger, 0), d.Stagger},
	} {
		add(t.flag, t.d.String(), t.usual.String())
	}
	for _, f := range s.Faults {
		words = append(words, "--fault '"+f.String()+"'")
	}
	return strings.Join(words, " ")
}
