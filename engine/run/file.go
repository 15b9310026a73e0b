package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A scenario file is one JSON object that describes a run. What it leaves out takes the default.
const (
	fileFormat  = "zkviz-scenario"
	fileVersion = 1
	maxFile     = 1 << 20 // bytes
)

// MarshalJSON writes the scenario as the object of a scenario file: everything that a run depends on, except its
// root and its limits.
func (s Scenario) MarshalJSON() ([]byte, error) {
	s = s.WithDefaults()
	text := fmt.Appendf(nil, `{"format":%q,"version":%d`, fileFormat, fileVersion)
	for _, p := range parameters {
		v := p.json(s)
		if v == nil {
			continue
		}
		value, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		text = fmt.Appendf(text, ",%q:%s", p.fileKey(), value)
	}
	return append(text, '}'), nil
}

// UnmarshalJSON reads the object of a scenario file and validates it.
func (s *Scenario) UnmarshalJSON(text []byte) (err error) {
	*s, err = ReadFile(bytes.NewReader(text))
	return err
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
	var object map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&object); err != nil {
		return Scenario{}, fmt.Errorf("not a scenario file: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Scenario{}, errors.New("not a scenario file: something follows its object")
	}
	if err := checkFormat(object); err != nil {
		return Scenario{}, err
	}
	var g Given
	if err := g.setObject(object); err != nil {
		return Scenario{}, fmt.Errorf("the scenario file: %w", err)
	}
	return g.Valid()
}

// checkFormat removes the format and its version from the object, and checks them.
func checkFormat(object map[string]json.RawMessage) error {
	var format string
	var version int
	if err := json.Unmarshal(object["format"], &format); err != nil || format != fileFormat {
		return fmt.Errorf("not a scenario file: its format is not %q", fileFormat)
	}
	if err := json.Unmarshal(object["version"], &version); err != nil || version < 1 || version > fileVersion {
		return fmt.Errorf("the scenario file has version %.60s; this program reads version %d",
			object["version"], fileVersion)
	}
	delete(object, "format")
	delete(object, "version")
	return nil
}

// Command returns the shell command line that runs the scenario. It leaves out usual values.
func (s Scenario) Command() string {
	s = s.WithDefaults()
	usual := s.Usual()
	words := []string{"viz-server run", s.Recipe}
	for _, p := range parameters[1:] {
		switch texts := p.write(s); {
		case len(texts) == 0:
		case p.Many:
			for _, text := range texts {
				words = append(words, "--"+p.Name+" '"+text+"'")
			}
		case !slices.Equal(texts, p.write(usual)):
			words = append(words, "--"+p.Name+" "+texts[0])
		}
	}
	return strings.Join(words, " ")
}
