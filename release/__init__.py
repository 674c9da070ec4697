"""What a release needs beside the program: licences and vulnerabilities of what it stands on, a trial of what is given out."""
