package sql

import "github.com/zkviz/zkviz/engine/event"

// Dialect is the SQL dialect of a database.
type Dialect uint8

const (
	Postgres Dialect = iota // PostgreSQL
	MySQL                   // MySQL and MariaDB
	dialects
)

// DialectOf returns the dialect of a system, and false if it is no database.
func DialectOf(kind event.SystemKind) (Dialect, bool) {
	switch kind {
	case event.PostgresSystem:
		return Postgres, true
	case event.MySQLSystem:
		return MySQL, true
	}
	return 0, false
}
