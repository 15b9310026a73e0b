package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Given is what somebody specified of a scenario, parameter by parameter, in whatever form. The rest has defaults.
// The zero value specifies nothing.
type Given struct {
	scenario Scenario
	said     []string // the names of the specified parameters
}

// Set sets a parameter from text. A slip must not show another run, so an unknown parameter is an error, and so is
// a repeated one that isn't a list. Validation of its range comes later, when everything is set.
func (g *Given) Set(name string, texts ...string) error {
	p, ok := parameter(name)
	switch {
	case !ok:
		return sentence.Error("bad.parameter", sentence.Quote(name))
	case !p.Many && len(texts) != 1:
		return sentence.Error("bad.repeated", sentence.Text(name), sentence.Number(len(texts)))
	}
	if err := p.read(&g.scenario, texts); err != nil {
		if p.Many {
			return err
		}
		return sentence.Wrap(err, "bad.value", sentence.Text(name), sentence.Quote(texts[0]))
	}
	if !g.Has(name) {
		g.said = append(g.said, name)
	}
	return nil
}

// Has reports whether one of the parameters was specified.
func (g *Given) Has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(g.said, name) })
}

// With returns g with the parameters of more replacing its own.
func (g Given) With(more Given) (Given, error) {
	g.said = slices.Clone(g.said)
	for _, name := range more.said {
		p, _ := parameter(name)
		if err := g.Set(name, p.write(more.scenario)...); err != nil {
			return g, err
		}
	}
	return g, nil
}

// Scenario returns the scenario with defaults for the rest. It may be invalid.
func (g *Given) Scenario() Scenario {
	s := g.scenario
	for _, p := range parameters {
		if !g.Has(p.Name) {
			p.fill(&s)
		}
	}
	return s.withLimits()
}

// Valid returns Scenario, with an error that explains in a sentence what is wrong with it.
func (g *Given) Valid() (Scenario, error) {
	s := g.Scenario()
	return s, s.Validate()
}

// UnmarshalJSON reads an object of parameters, each a text, a number or a list of texts. Missing and null ones stay
// unspecified.
func (g *Given) UnmarshalJSON(text []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	return g.setObject(object)
}

func (g *Given) setObject(object map[string]json.RawMessage) error {
	*g = Given{}
	for _, p := range parameters {
		raw, said := object[p.fileKey()]
		delete(object, p.fileKey())
		texts, err := textsOf(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", p.fileKey(), err)
		}
		if !said || texts == nil {
			continue
		}
		if err := g.Set(p.Name, texts...); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		return fmt.Errorf("json: unknown field %.60q", key) // as encoding/json words it
	}
	return nil
}

// textsOf returns the texts of a JSON value: nil for null.
func textsOf(raw json.RawMessage) ([]string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	switch raw[0] {
	case '[':
		texts := []string{}
		err := json.Unmarshal(raw, &texts)
		return texts, err
	case '"':
		var text string
		err := json.Unmarshal(raw, &text)
		return []string{text}, err
	case '{', 't', 'f':
		return nil, errors.New("a value must be a text, a number or a list of texts")
	}
	return []string{string(raw)}, nil
}
