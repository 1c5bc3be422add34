"""The app in browsers: who may come in, a home and an app for each visitor, and the pages. It starts the app as a program
of its own and imports neither the app nor the engine."""
