package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"github.com/zkviz/zkviz/engine/run"
)

// maxConfig is the maximum size of a --config file in bytes.
const maxConfig = 1 << 20

// BeforeResolve fills flags that the command line lacks from environment variables, then from the --config file.
// Empty variables are ignored.
func (c *serveCmd) BeforeResolve(ctx *kong.Context) error {
	s := settings{lookup: os.Getenv}
	for _, flag := range ctx.Selected().Flags {
		if s.flags = append(s.flags, flag); flag.Name == "config" {
			file, _ := ctx.FlagValue(flag).(string)
			if err := s.read(cmp.Or(file, s.lookup(variable(flag.Name)))); err != nil {
				return fmt.Errorf("--config: %w", err)
			}
		}
	}
	if err := s.validate(); err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	ctx.AddResolver(s)
	c.unknown = s.unknown(os.Environ())
	return nil
}

// ofKubernetes matches variables that Kubernetes sets in every container for a service called zkviz.
var ofKubernetes = regexp.MustCompile(`^ZKVIZ_(.+_)?(SERVICE_(HOST|PORT.*)|PORT(_\d+_.+)?)$`)

// unknown names the variables, of an environment like os.Environ, that look like a flag's but set nothing. The
// warnings have no values, since those may be secrets.
func (s *settings) unknown(environ []string) (warnings []string) {
	known := []string{strings.TrimPrefix(authVariable, prefix), strings.TrimPrefix(tokenVariable, prefix)}
	for _, flag := range s.flags {
		known = append(known, strings.TrimPrefix(variable(flag.Name), prefix))
	}
	for _, set := range environ {
		name, _, _ := strings.Cut(set, "=")
		short, ours := strings.CutPrefix(name, prefix)
		if !ours || slices.Contains(known, short) || ofKubernetes.MatchString(name) {
			continue
		}
		warning := "the variable " + strconv.QuoteToASCII(name) + " sets nothing"
		if near, ok := run.Nearest(short, known); ok {
			warning += "; did you mean " + prefix + near + "?"
		}
		warnings = append(warnings, warning)
	}
	slices.Sort(warnings)
	return warnings
}

// prefix begins the names of zkviz's variables.
const prefix = "ZKVIZ_"

// variable returns the environment variable for a flag of serve.
func variable(flag string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// variablesInHelp adds each flag's variable to the help of serve.
func variablesInHelp() kong.Option {
	return kong.PostBuild(func(k *kong.Kong) error {
		for _, command := range k.Model.Children {
			if command.Name != "serve" {
				continue
			}
			for _, flag := range command.Flags {
				flag.Help += " ($" + variable(flag.Name) + ")"
			}
		}
		return nil
	})
}

// settings holds flags given outside the command line. It is a kong.Resolver.
type settings struct {
	lookup func(variable string) string
	file   string // empty for none
	values map[string]any
	flags  []*kong.Flag
}

// read reads a TOML file of flags, by their names without dashes.
func (s *settings) read(file string) error {
	if s.file = file; file == "" {
		return nil
	}
	_, err := readTOML(file, &s.values, `addr = "127.0.0.1:8080"`)
	return err
}

// readTOML reads a TOML file. Its errors contain none of the file's values, since those may be secrets.
func readTOML(file string, into any, example string) (meta toml.MetaData, err error) {
	f, err := os.Open(file)
	if err != nil {
		return meta, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return meta, err
	}
	if len(text) > maxConfig {
		return meta, fmt.Errorf("%s has more than %d bytes", file, maxConfig)
	}
	meta, err = toml.Decode(string(text), into)
	var wrong toml.ParseError
	if errors.As(err, &wrong) {
		at := fmt.Sprintf("%s: line %d", file, wrong.Position.Line)
		if wrong.LastKey != "" {
			at += fmt.Sprintf(", after the key %s,", wrong.LastKey)
		}
		return meta, fmt.Errorf("%s isn't TOML; write lines like %s", at, example)
	}
	if err != nil {
		return meta, fmt.Errorf("%s has values of the wrong type; write lines like %s", file, example)
	}
	return meta, nil
}

// validate refuses keys that are not flags of serve, and values of the wrong form. It also refuses tables.
func (s *settings) validate() error {
	for _, key := range slices.Sorted(maps.Keys(s.values)) {
		i := slices.IndexFunc(s.flags, func(f *kong.Flag) bool { return f.Name == key })
		if i < 0 || key == "config" || key == "help" {
			return fmt.Errorf("%s: %q is not a flag of serve; viz-server serve --help lists the flags", s.file, key)
		}
		value, err := asFlagValue(s.values[key], s.flags[i].IsSlice())
		if err != nil {
			return fmt.Errorf("%s: %s %w", s.file, key, err)
		}
		s.values[key] = value
	}
	return nil
}

// asFlagValue converts a value of the file to the command line's form: one text, or several for a flag that takes more.
func asFlagValue(value any, several bool) (any, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case []any:
		if !several {
			return nil, errors.New("takes one value, not a list")
		}
		texts := make([]any, len(v))
		for i, one := range v {
			text, err := asFlagValue(one, false)
			if err != nil {
				return nil, err
			}
			texts[i] = text
		}
		return texts, nil
	}
	return nil, errors.New(`must be "text", a whole number, true or false, or a list of these`)
}

// Validate does nothing: validate has already checked the settings.
func (settings) Validate(*kong.Application) error { return nil }

// Resolve returns a flag's value, or nil for none.
func (s settings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if !slices.Contains(s.flags, flag) {
		return nil, nil
	}
	if text := s.lookup(variable(flag.Name)); text != "" {
		return text, nil
	}
	if value, ok := s.values[flag.Name]; ok {
		return value, nil
	}
	return nil, nil
}
