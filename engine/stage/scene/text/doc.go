// Package text measures, shortens and makes the texts of a picture. Writer remembers texts, so that one that was used
// before costs no memory. It draws nothing and knows no language: words come from the language files. All packages of
// the scene use it.
package text
