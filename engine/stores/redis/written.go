package redis

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// A log has commands and replies as people write them. The functions here convert them back to what was on the
// connection.

// Command parses a command that Text has written.
func Command(text string) []string {
	args := words(text)
	if len(args) > 1 && strings.EqualFold(args[0], "EVAL") {
		for _, s := range Scripts() {
			if s.Name == args[1] {
				args[1] = s.Lua
			}
		}
	}
	return args
}

// Answer parses the text of a reply to the command.
func Answer(command []string, text string, failed bool) resp.Value {
	name := ""
	if len(command) > 0 {
		name = strings.ToUpper(command[0])
	}
	inner, isList := strings.CutPrefix(text, "[")
	switch {
	case failed:
		return resp.Err(text)
	case text == "(nil)" && name == "BLPOP":
		return resp.Value{Kind: resp.NilArray}
	case text == "(nil)":
		return resp.Value{}
	case isList:
		v := resp.List()
		for _, w := range words(strings.TrimSuffix(inner, "]")) {
			v.List = append(v.List, resp.String(w))
		}
		if n := len(v.List) - 1; n >= 0 && strings.HasSuffix(name, "SUBSCRIBE") {
			v.List[n] = number(v.List[n].Str)
		}
		return v
	case name == "GET" || name == "SET" && text != "OK":
		return resp.String(strings.Join(words(text), " "))
	}
	return number(text)
}

// number returns an integer, or a status if it is none.
func number(text string) resp.Value {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return resp.Int(n)
	}
	return resp.Value{Kind: resp.Status, Str: text}
}

// words splits a text of words that resp.ShowWord has written, separated by spaces.
func words(text string) (list []string) {
	for text != "" {
		word, rest, _ := strings.Cut(text, " ")
		if quoted, err := strconv.QuotedPrefix(text); err == nil && text[0] == '"' {
			word, _ = strconv.Unquote(quoted)
			rest = strings.TrimPrefix(text[len(quoted):], " ")
		}
		list, text = append(list, word), rest
	}
	return list
}
