// Package mark names the facts that a picture shows, each with its place, and puts them into words. Lessons claim
// marks, and tests look for them. It doesn't decide what a picture shows: its parts record their marks.
package mark
