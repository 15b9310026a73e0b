// Package alarm tells programs what is wrong with the locks of clusters: it watches them for as long as somebody wants
// to know, and sends new and ended troubles to a webhook. It decides nothing about locks: engine/observe/locks says
// what is a trouble, and when one ends.
//
// The pages about clusters (package cluster) own the watches, and package web writes their figures for Prometheus.
// viz-server locks --follow sends to a webhook too.
package alarm
