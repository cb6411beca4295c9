package main

func report([]string) error { return nil }
