package main

import (
	"bytes"
	"io"
	"log/slog"
)

// loggingFlags sets what a server logs to stderr, and in which form.
type loggingFlags struct {
	LogFormat string `name:"log-format" enum:"text,json" default:"text" placeholder:"text|json" help:"The format of the log on stderr: key=value, or one JSON object a line (default: ${default})."`
	LogLevel  string `name:"log-level" enum:"debug,info,warn,error" default:"info" placeholder:"LEVEL" help:"What to log: debug, which includes every request, info, warn or error (default: ${default})."`
}

// logger logs to w. It never logs credentials or znodes' data, at any level.
func (f loggingFlags) logger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(f.LogLevel)) // kong has checked it
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: wordErrors}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// wordErrors logs errors in words, as on the command line. Of a sentence in an error, Error returns only the key.
func wordErrors(_ []string, a slog.Attr) slog.Attr {
	if err, ok := a.Value.Any().(error); ok {
		a.Value = slog.StringValue(voice().Error(err))
	}
	return a
}

// lineLogger is a writer that logs each written line.
type lineLogger struct {
	log *slog.Logger
}

// Write logs a line, as a warning if it starts with "warning: ".
func (l lineLogger) Write(line []byte) (int, error) {
	text := bytes.TrimRight(line, "\n")
	if warning, ok := bytes.CutPrefix(text, []byte("warning: ")); ok {
		l.log.Warn(string(warning))
	} else {
		l.log.Info(string(text))
	}
	return len(line), nil
}
