package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zkviz/zkviz/engine/sentence"
)

// Given is what somebody has said of a scenario, parameter by parameter, in whatever form. The rest is left to the
// defaults. The zero value is nothing said.
type Given struct {
	scenario Scenario
	said     []string // the parameters' names
}

// Set says a parameter, as it is written. A slip must not show another run, so one that does not exist, or is said
// twice without being a list, is an error. Whether the value is within its range is judged when all is said.
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

// Has reports whether one of the parameters was said.
func (g *Given) Has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(g.said, name) })
}

// With is g with what more says in place of what g says.
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

// Scenario is what was said, with the defaults for the rest. It need not be valid.
func (g *Given) Scenario() Scenario {
	s := g.scenario
	for _, p := range parameters {
		if !g.Has(p.Name) {
			p.fill(&s)
		}
	}
	return s.withLimits()
}

// Valid is Scenario, with an error that says in a sentence what is wrong with it.
func (g *Given) Valid() (Scenario, error) {
	s := g.Scenario()
	return s, s.Validate()
}

// UnmarshalJSON reads an object of parameters, each a text, a number or a list of texts. What it leaves out, or is
// null, is not said.
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
		return fmt.Errorf("json: unknown field %.60q", key) // as package json says it
	}
	return nil
}

// textsOf are the texts of a value of JSON: nil for null.
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
		return nil, errors.New("this is neither a text, a number nor a list of texts")
	}
	return []string{string(raw)}, nil
}
