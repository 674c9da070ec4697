"""The service of an archive over HTTP: an API, pages, judging and webhooks."""
