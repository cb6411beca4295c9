package main

func doctorCommand() *command { return &command{name: "doctor", summary: "x"} }
