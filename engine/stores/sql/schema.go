package sql

import "strings"

// Create returns the statements that create the tables of a run below a name of its own. So runs on one database don't
// affect each other, and dropping that name removes everything that a run leaves. Connections of the run must look for
// tables there: see engine/stores/sql/pg and engine/stores/sql/mysql.
func Create(d Dialect, name string) []string {
	name = quoted(d, name)
	if d == Postgres {
		return []string{
			"CREATE SCHEMA " + name,
			"CREATE TABLE " + name + ".locks (resource text PRIMARY KEY, owner text NOT NULL)",
			"CREATE TABLE " + name + ".leases (resource text PRIMARY KEY, owner text NOT NULL, until timestamptz NOT NULL," +
				" fence bigint NOT NULL)",
			"CREATE TABLE " + name + ".stock (id text PRIMARY KEY, n bigint NOT NULL, version bigint NOT NULL)",
			"CREATE TABLE " + name + ".jobs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, task text NOT NULL)",
		}
	}
	const key = "varchar(190) COLLATE utf8mb4_bin"
	return []string{
		"CREATE DATABASE " + name + " CHARACTER SET utf8mb4",
		"CREATE TABLE " + name + ".locks (resource " + key + " PRIMARY KEY, owner " + key + " NOT NULL) ENGINE=InnoDB",
		"CREATE TABLE " + name + ".leases (resource " + key + " PRIMARY KEY, owner " + key +
			" NOT NULL, until datetime(6) NOT NULL, fence bigint NOT NULL) ENGINE=InnoDB",
		"CREATE TABLE " + name + ".stock (id " + key +
			" PRIMARY KEY, n bigint NOT NULL, version bigint NOT NULL) ENGINE=InnoDB",
		"CREATE TABLE " + name + ".jobs (id bigint AUTO_INCREMENT PRIMARY KEY," +
			" task text COLLATE utf8mb4_bin NOT NULL) ENGINE=InnoDB",
	}
}

// Drop returns the statement that removes the tables of a run.
func Drop(d Dialect, name string) string {
	if d == Postgres {
		return "DROP SCHEMA IF EXISTS " + quoted(d, name) + " CASCADE"
	}
	return "DROP DATABASE IF EXISTS " + quoted(d, name)
}

// quoted returns a name as an identifier.
func quoted(d Dialect, name string) string {
	if d == Postgres {
		return string(appendName(nil, name))
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}
