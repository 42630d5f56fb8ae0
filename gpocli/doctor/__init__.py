"""What `gpo doctor` looks at: one file a topic, each giving findings. Free of torch."""
